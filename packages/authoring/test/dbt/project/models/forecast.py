def model(dbt, session):
    dbt.config(submission_method="serverless")
    return dbt.ref("orders")
